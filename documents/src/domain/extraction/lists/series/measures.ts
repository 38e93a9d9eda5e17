/**
 * What reports measure. Each line: words by which a schema may name it, then `|`, names of its rows with the likeliest first, then `|`, what is said of it.
 * In names of rows `*` stands for up to four words. Words are in the singular; `income` stands for earnings, `revenue` for sales and turnover, and
 * `holder` for stockholders, shareholders and the like.
 *
 * Said of it: the statement that reports it (`income`, `balance`, `cash`, `equity`), the kind of figure (`each` of a share, `percent`, `count`), and
 * `outflow` for what is named by what goes out, so that an amount in brackets is meant without its sign.
 */
export const MEASURES = `
revenue; total revenue; net revenue; net sale | total revenue; revenue; net revenue; total net revenue; revenue net; total revenue net | income
net income; net profit; profit for period; net earning | net income attributable to *; net income; profit for period; profit for year; net profit; net loss | income
basic income per share; basic eps | basic income per share; basic net income per share; basic eps; income per share basic; net income per share basic; income per common share basic; income per common share attributable to * basic; basic income per common share; net income per common share basic; basic income per ordinary share | income each
diluted income per share; diluted eps | diluted income per share; diluted net income per share; diluted eps; income per share diluted; net income per share diluted; income per common share diluted; income per common share attributable to * diluted; diluted income per common share; net income per common share diluted; diluted income per ordinary share | income each
gross profit | gross profit; gross margin; gross income | income
gross margin; gross profit percentage revenue; gross margin percentage | gross margin; gross profit margin; gross margin percentage; gross margin percent; gross profit percent | income percent
cost of revenue; cost of good sold; cost of sale; cost production revenue | total cost of revenue; cost of revenue; cost of good sold; cost of product sold; total cost of good sold; cost of product and service; cost of product and service sold | income outflow
interest expense; cost of debt financing | interest expense; interest expense net; finance cost; interest and other financing charge | income outflow
operating income; income before interest and tax; ebit; profit from operation | operating income; income from operation; operating profit; operating income loss; profit from operation; total operating income; ebit | income
operating margin; operating income percentage revenue; ebit margin | operating margin; operating income margin; operating margin percent; ebit margin | income percent
effective tax rate; effective income tax rate | effective tax rate; effective income tax rate; income tax rate; reported income tax rate | income percent
income tax expense; provision for income tax | income tax expense; provision for income tax; income tax provision; income tax; income tax benefit expense; provision for tax on income | income outflow
operating expense; total operating expense | total operating expense; operating expense; total operating cost and expense; total cost and expense | income outflow
restructuring charge; restructuring cost; reorganization restructuring cost | restructuring; restructuring charge; restructuring and * charge; restructuring cost; restructuring impairment and related charge net; total restructuring * charge; restructuring and other; restructuring charge net; business restructuring | income outflow
research and development | research and development; research and development expense; total research and development | income outflow
selling general and administrative expense; sga expense | selling general and administrative; selling general and administrative expense; selling distribution general and administrative expense | income outflow
depreciation and amortization | depreciation and amortization; depreciation | cash
income before tax; pretax income | income before income tax; income before tax; income from continuing operation before income tax | income
stock based compensation; share based compensation; employee equity compensation expense | stock based compensation; share based compensation; stock based compensation expense; share based compensation expense; equity based compensation; total stock based compensation expense; total share based compensation expense | cash
cash and cash equivalent; cash equivalent | cash and cash equivalent; cash and cash equivalent at end of period; total cash and cash equivalent; cash | balance
cash and short term investment; cash equivalent and short term investment | total cash cash equivalent and short term investment; cash cash equivalent and short term investment; cash and short term investment; cash cash equivalent and marketable security; total cash cash equivalent and marketable security | balance
short term investment | short term investment; short term marketable security; current investment | balance
marketable security | marketable security; short term marketable security; current marketable security; total marketable security; equity security | balance
money market fund | money market fund; money market security | balance
account receivable; trade receivable | account receivable; account receivable trade; trade receivable; receivable; account receivable net; trade and other receivable | balance
total receivable; account and note receivable | total receivable; receivable; total account receivable; account and note receivable | balance
inventory | inventory; total inventory; merchandise inventory | balance
current asset; total current asset | total current asset | balance
property plant and equipment; fixed asset | property plant and equipment; property and equipment; property plant and equipment net; total property plant and equipment; net property plant and equipment | balance
goodwill | goodwill; goodwill net | balance
intangible asset | intangible asset; other intangible asset; total intangible asset | balance
total asset | total asset | balance
account payable; trade payable | account payable; draft and account payable; trade account payable; account payable trade; account payable and accrued * | balance
dividend payable | dividend payable; accrued dividend | balance
short term debt; current debt; short term borrowing; debt due within one year | short term debt; current portion of long term debt; short term borrowing; current portion of debt; current maturity of long term debt; note payable | balance
current liability; total current liability | total current liability | balance
long term debt; debt due beyond one year | long term debt; long term debt net; long term debt less current portion; long term debt net of current portion | balance
total debt; short term and long term debt | total debt; debt | balance
total liability | total liability | balance
holder equity; equity attributable to holder; total equity | total * holder equity; holder equity attributable to *; total holder equity; equity attributable to *; total equity; holder equity | balance
retained income; accumulated deficit | retained income; accumulated deficit; retained income accumulated deficit; reinvested income | balance
additional paid in capital; capital above par value | additional paid in capital; capital in excess of par value; paid in capital; capital surplus; share premium | balance
commercial paper | commercial paper; commercial paper outstanding | balance
commercial paper issuance; proceed from commercial paper | proceed from commercial paper; proceed from issuance of commercial paper; net proceed from commercial paper; commercial paper issuance | cash
capital expenditure; purchase of property | capital expenditure; purchase of property plant and equipment; purchase of property and equipment; payment for property plant and equipment; expenditure for property plant and equipment; payment for acquisition of property plant and equipment; addition to property plant and equipment | cash outflow
dividend paid; cash dividend paid | dividend paid; cash dividend paid; dividend paid on common stock; payment of dividend; cash dividend paid to holder; cash dividend; dividend paid to holder; payment of cash dividend | cash outflow
share repurchase; stock repurchase; cash repurchase company share | repurchase of common stock; purchase of treasury share; purchase of treasury stock; common stock repurchase; repurchase of common share; purchase of common stock; common stock repurchased; share repurchase; payment for repurchase of common stock; treasury stock purchased; payment for purchase of treasury stock | cash outflow
financing cash flow; cash flow from financing; cash flow financing activity | net cash provided by financing activity; net cash used in financing activity; net cash provided by used in financing activity; net cash flow provided by financing activity; net cash flow used in financing activity; cash provided by financing activity; cash used in financing activity; cash flow from financing activity; net cash from financing activity; financing activity | cash
operating cash flow; cash flow from operation; cash flow operating activity | net cash provided by operating activity; net cash provided by used in operating activity; net cash used in operating activity; net cash flow provided by operating activity; cash provided by operating activity; cash flow from operating activity; net cash from operating activity; operating activity | cash
investing cash flow; cash flow from investing | net cash used in investing activity; net cash provided by used in investing activity; net cash provided by investing activity; net cash flow used in investing activity; investing activity | cash
free cash flow | free cash flow | cash
share issued; number of new share issued | share issued; issuance of common stock; common stock issued; issuance of share | equity count
share repurchased; number of common share repurchased | share repurchased; number of share repurchased; common share repurchased; total number of share repurchased | equity count
employee; number of employee; headcount | employee; number of employee; full time employee; headcount; total employee | note count
notional swap; total notional value of swap agreement | interest rate swap; cross currency swap; total notional swap; swap | note
notional option; total notional value of option contract | option; foreign currency option; option contract | note
notional forward; total notional value of forward derivative contract | foreign exchange forward contract; foreign currency forward; foreign currency forward contract; foreign exchange contract; forward contract | note
`;
