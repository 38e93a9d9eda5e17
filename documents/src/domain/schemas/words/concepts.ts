/** What kind of value a noun stands for. */
export type ValueKind =
  | 'text'
  | 'identifier'
  | 'money'
  | 'number'
  | 'integer'
  | 'percent'
  | 'date'
  | 'date-time'
  | 'time'
  | 'email'
  | 'phone'
  | 'uri'
  | 'boolean';

/**
 * Nouns by the kind of their values, `noun = other labels`. A phrase that ends with one of them is of its kind, so that nouns stand here alone
 * where their adjectives change nothing.
 */
export const CONCEPTS: Readonly<Record<ValueKind, string>> = {
  text: `
    name = full name; first name = given name, forename; last name = surname, family name; middle name
    company name = company, business name, firm; vendor = supplier, seller; vendor name = vendor, supplier, seller
    supplier = vendor, seller; supplier name = supplier, vendor; seller = vendor; buyer = customer, bill to; customer = client, bill to
    customer name = customer, client, bill to; client; merchant = store, shop; store; shop; manufacturer = made by; brand; carrier = shipped by
    sender = from; recipient = to, addressee; employer; employee; manager; supervisor; owner; author = by; contact = contact person, attn
    contact person = contact, attn; analyst; inspector; operator; auditor; doctor = physician; physician; prescriber; patient; coach; teacher
    tenant = lessee; landlord = lessor; lessee; lessor; borrower; lender; claimant; insured; insurer; plaintiff; defendant; judge; witness
    holder; account holder = account name; beneficiary = payee; payee; payer; donor; guest; passenger; driver; director; shareholder; signatory
    person; party; contractor; agent; broker; grantor; grantee; observer; assignee; organizer; speaker; participant
    address = street address; street = street name; city = town; town; state = province; province; region; county; country; country of origin
    nationality; place = location; location = place; place of birth = birthplace; venue; site; court; airport; port; port of loading
    port of discharge; destination; origin; delivery address = ship to, deliver to; shipping address = ship to; billing address = bill to
    description = details; item = article; product = item; product name = item; article; service; title; subject = re; topic; summary; abstract
    note = remark, comment; comment = remark; remark; reason; purpose; instruction; condition; term; payment term = terms, terms of payment
    result; finding; diagnosis; treatment; dosage = dose; dose; frequency; medication; allergy; symptom; recommendation; conclusion; action
    status; state of order; type; kind; category; class; grade; level; rating; priority; severity; gender = sex; marital status
    language; currency = curr; unit = unit of measure, uom; unit of measure = unit, uom; reference range = normal range, ref. range; range
    color = colour; colour; size; material; model; make; species; method; payment method = paid by, payment type; room type
    position = job title; job title = position; role; department = dept; degree = qualification; institution = school, university; school
    university; company; bank; bank name; branch; skill; keyword; tag; occupation; profession; industry; governing law; incoterm = incoterms
    parameter; text; answer; question; format; schedule; clause; section; chapter; semester; course; subject line; head; team; project
    activity; task; period = billing period; pay period; tariff; warranty; seat; ingredient; instructions; code name; password hint; signature
  `,
  identifier: `
    number = no., nr.; no = number; id = identifier, no.; identifier; code; reference = ref., our ref.; ref; reference number = ref., ref. no.
    invoice number = invoice no., invoice #, inv. no.; order number = order no., order #; purchase order number = po number, po no., po #
    po number = purchase order, po no., po #; po = purchase order; customer number = customer no., customer id; account number = account no., a/c no.
    iban = iban no.; bic = swift, swift code; swift code = bic; sort code; routing number; vat number = vat id, vat no., vat reg. no.; vat id = vat no.
    tax id = tin, tax no.; tax number = tax id; registration number = reg. no., company no.; policy number = policy no.; claim number = claim no.
    case number = case no., docket no.; contract number = contract no.; serial number = serial no., s/n; part number = part no., p/n; sku = item no.
    item number = item no., art. no.; article number = art. no.; batch number = batch no., lot; lot number = lot no., batch; lot
    tracking number = tracking no.; container number; booking number; flight number = flight; ticket number; meter number = meter no.
    license plate = registration; vin = vehicle identification number; passport number; employee id; student number; patient id; sample id
    barcode = ean, upc; ean; isbn; issn; doi; hs code = tariff code, commodity code; postal code = zip code, postcode; zip code = zip, postal code
    zip; postcode = postal code; receipt number = receipt no.; delivery note number; version; revision; gtin; hash; key
  `,
  money: `
    total = total amount, grand total, amount due; grand total = total, total amount; total amount = total, grand total; subtotal = sub-total, net amount
    amount = sum; amount due = balance due, total due; balance due = amount due; balance; opening balance = balance brought forward
    closing balance = balance carried forward; price = cost; unit price = price per unit, price each, rate; line total = amount, total; cost = price
    tax amount = tax, vat; tax = vat, gst, sales tax; vat = value added tax, tax; gst; sales tax = tax; vat amount = vat; net amount = net, subtotal
    gross amount = gross; discount amount = discount; fee = charge; charge = fee; shipping cost = shipping, freight; shipping = freight, postage
    freight; postage; tip = gratuity; deposit; rent; monthly rent = rent; premium; deductible; salary = wage; wage = salary; income; net income
    revenue = turnover, net sales; turnover; profit; loss; expense; budget; money; payment; down payment; debit = withdrawal; credit = deposit
    gross pay = gross; net pay = take-home pay; pay; bonus; commission; refund; fine; penalty; fare; toll; debt; loan amount = principal
    principal; interest = interest amount; equity; asset; liability; earning; earnings per share = eps; dividend; value in currency
    customs value; market value; sum insured; coverage amount; rounding; cash; change = change due; spend; donation
  `,
  number: `
    value = reading; quantity = qty, units; qty = quantity; weight; net weight; gross weight; mass; length; width; height; depth; area; living area
    volume; distance; mileage = odometer; altitude = elevation; elevation; latitude = lat; longitude = lon, long; temperature = temp.; humidity
    pressure; speed; flow rate; power; voltage; current; energy; consumption = usage; usage; reading = meter reading; meter reading; strength
    concentration; density; frequency in hertz; capacity; dimension; thickness; diameter; radius; angle; duration; hour; hours worked; total hours
    overtime hour = overtime; day; month count; week; minute; second; score; factor; ratio; index; credit point = credits; grade point average = gpa
    gpa; average; median; mean; maximum = max.; minimum = min.; limit; detection limit; measurement; acreage; exchange rate; age in month; dose amount
    stock quantity = in stock; share; resistance; torque; load; yield; emission; level in percent; number of unit sold; size in metre; term in month
  `,
  integer: `
    count = number of; quantity of page; page = pages; page count = pages; year = yr.; fiscal year; year built; publication year = year; age
    piece = pcs; package = packages; serving = servings; rank; floor; number of page; population; headcount; bedroom; bathroom; room; night
    page number = page; line number = line, pos.; position number = pos.; dependent; installment
  `,
  percent: `
    percent = %; percentage = %; rate; tax rate = vat rate, vat %; vat rate = vat %; interest rate = rate, apr; discount = rebate, discount %
    discount rate; share in percent; commission rate; margin; utilization; efficiency; annual percentage rate = apr; growth rate; probability
  `,
  date: `
    date = dated; invoice date = date, date of issue; issue date = date of issue, issued; due date = payment due, due, pay by; order date = date of order
    delivery date = delivered, date of delivery; ship date = shipped, date shipped; shipping date = shipped; start date = from, begins
    end date = to, until, ends; effective date = effective; expiry date = expires, valid until, best before; expiration date = expires, valid until
    expiry = expires; birthday = date of birth; birth date = date of birth, born; date of birth = born, dob; dob = date of birth; hire date = hired
    maturity date; deadline = due; payment date = paid on; period start = from; period end = to; pay period start = from; pay period end = to
    start = from; end = to; fiscal year end = year ended; year end; signature date = signed on; date of issue = issued; statement date
  `,
  'date-time': `
    timestamp = time stamp; date and time; datetime; time of print
  `,
  time: `
    time; start time = from; end time = to; departure time = departs; arrival time = arrives; opening time; closing time; check-in time; check-out time
  `,
  email: `
    email = e-mail; email address = e-mail, email; e-mail = email; mail address = email
  `,
  phone: `
    phone = tel., telephone; phone number = tel., telephone, phone; telephone = tel., phone; telephone number = tel.; mobile = cell; mobile number = mobile
    cell phone = mobile; fax = telefax; fax number = fax
  `,
  uri: `
    url = web address; website = web, www; web site = www; homepage = www; link = url; web address = www
  `,
  boolean: `
    checkbox; flag; yes or no; tick box
  `,
};

/** Nouns that stand for several things although they have no plural. */
export const MASS_NOUNS: ReadonlySet<string> = new Set(
  'education experience employment history equipment staff personnel inventory furniture luggage cargo software hardware'.split(
    ' ',
  ),
);

/** Nouns whose plural, without another word about it, means a list of single values. */
export const LISTED_NOUNS: ReadonlySet<string> = new Set(
  (
    'author keyword skill tag speaker participant attendee member allergy ingredient signatory shareholder director witness language hobby ' +
    'certification attachment plaintiff defendant inventor editor passenger symptom'
  ).split(' '),
);

/** Words joined by `and` that are one thing. */
export const FIXED_PAIRS: readonly string[] = [
  ...['terms and conditions', 'date and time', 'time and date', 'profit and loss', 'research and development'],
  ...['health and safety', 'bed and breakfast', 'shipping and handling', 'postage and packing', 'wear and tear'],
  ...['selling, general and administrative', 'plant and equipment', 'rights and obligations', 'name and shame'],
];
