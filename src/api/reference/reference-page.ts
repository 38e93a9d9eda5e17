/** The page loads its scripts, styles and document from this server: it works without a network. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandgate API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/v1/reference/favicon-32x32.png">
<link rel="stylesheet" href="/v1/reference/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/v1/reference/swagger-ui-bundle.js"></script>
<script src="/v1/reference/init.js"></script>
</body>
</html>
`;

export const REFERENCE_INIT = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
