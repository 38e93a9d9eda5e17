"""A receiver's check: reads one saved request per line, and says of each whether it is what it claims to be."""
import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    request = json.loads(line)
    try:
        event = Webhook(request["secret"]).verify(request["body"], request["headers"])
        print(json.dumps({"type": event["type"]}))
    except WebhookVerificationError as error:
        print(json.dumps({"refused": str(error)}))
