/**
 * Days on which Lambda deprecates runtimes of Node.js: from then on AWS applies no security patches.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html
 */
export const DEPRECATED: Readonly<Record<string, string>> = {
  'nodejs12.x': '2023-03-31',
  'nodejs14.x': '2023-12-04',
  'nodejs16.x': '2024-06-12',
  'nodejs18.x': '2025-09-01',
  'nodejs20.x': '2026-04-30',
  'nodejs22.x': '2027-04-30',
  'nodejs24.x': '2028-04-30',
};
