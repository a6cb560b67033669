/** Card numbers that payment services publish for tests, each list with its page; without the few that fail the Luhn check. */
const TEST_CARDS: Readonly<Record<string, readonly string[]>> = {
  // Stripe, "Testing", https://docs.stripe.com/testing#cards
  stripe: [
    ...['4242424242424242', '4000056655665556', '5555555555554444', '2223003122003222', '5200828282828210'],
    ...['5105105105105100', '378282246310005', '371449635398431', '6011111111111117', '6011000990139424'],
    ...['6011981111111113', '3056930009020004', '36227206271667', '6555900000604105', '3566002020360505'],
    ...['6200000000000005', '6200000000000047', '6205500000000000004'],
  ],
  // PayPal, "Test Credit Card Account Numbers", https://www.paypalobjects.com/en_US/vhelp/paypalmanager_help/credit_card_numbers.htm
  paypal: [
    ...['378734493671000', '30569309025904', '38520000023237', '3530111333300000', '4111111111111111'],
    ...['4012888888881881', '4222222222222', '5019717010103742', '6331101999990016'],
  ],
  // Braintree, "Testing", https://developer.paypal.com/braintree/docs/reference/general/testing, and "UnionPay testing",
  // https://developer.paypal.com/braintree/docs/guides/unionpay/testing
  braintree: [
    ...['36259600000004', '6011000991300009', '6304000000000000', '2223000048400011', '4005519200000004'],
    ...['4009348888881881', '4012000033330026', '4012000077777777', '4217651111111119', '4500600000000061'],
    ...['6243030000000001', '6221261111117766', '6223164991230014', '6212345678901265', '6212345678901232'],
    ...['62123456789002', '621234567890003', '62123456789000003', '621234567890000002', '6212345678900000003'],
  ],
  // Cybersource, "Testing Credit Card Services", https://developer.cybersource.com/docs/cybs/en-us/test-data/developer/all/so/test-data/testing_credit_card_services.html
  cybersource: [
    ...['6250947000000014', '8100010000000142', '6210038235327130', '8100010000000688'],
    ...['6250940500000006', '3566111111111113', '50339619890917', '586824160825533338', '6759411100000008'],
    ...['6759560045005727054', '5641821111166669', '2222420000001113', '2222630000001125'],
  ],
  // Authorize.Net, "Testing Guide", https://developer.authorize.net/hello_world/testing_guide.html
  authorizeNet: ['370000000000002', '38000000000006', '6011000000000012', '3088000000000017', '5424000000000015'],
  authorizeNetVisa: ['4007000000027', '4012888818888'],
  // Mastercard Gateway, "Test Card Numbers by Brand", https://developer.mastercard.com/mastercard-gateway/documentation/testing/test-cards/test-card-numbers/test-card-numbers-brand/
  mastercard: ['5123450000000008', '2223000000000007', '5111111111111118', '2223000000000023', '4508750015741019'],
  // Adyen, "Test card numbers" and "Test card V1" and "V2", https://docs.adyen.com/development-resources/testing/test-card-numbers/ and
  // https://docs.adyen.com/point-of-sale/testing-pos-payments/
  adyen: [
    ...['5100081112223332', '5577000055770004', '4988438843884305', '4166676667666746', '4646464646464644'],
    ...['5413330089099999', '6799998900000099990', '6799998900000999991', '6000070736169237003', '2308880000000000'],
  ],
};

/** Every number once. */
export const ALL_CARDS: readonly string[] = [...new Set(Object.values(TEST_CARDS).flat())];

/** A number in its printed form: 4-6-5 of 15 digits, 4-6-4 of 14, else groups of four. */
export function groupCard(card: string, separator: string): string {
  const parts = card.length === 15 ? /(.{4})(.{6})(.{5})/ : card.length === 14 ? /(.{4})(.{6})(.{4})/ : undefined;
  const groups = parts ? (parts.exec(card)?.slice(1) ?? []) : (card.match(/.{1,4}/g) ?? []);
  return groups.join(separator);
}
