import { didYouMean } from '../src/internal.js';

it.each([
  ['timout', ['timeout', 'retries'], ' (did you mean "timeout"?)'],
  ['TIMEOUT', ['retries', 'timeout'], ' (did you mean "timeout"?)'],
  ['re', ['retry'], ''],
  ['tries', ['retries'], ' (did you mean "retries"?)'],
  ['maxConcurrent', ['maximumConcurrency'], ''],
  ['visibilityTimout', ['visibilityTimeoutMs'], ' (did you mean "visibilityTimeoutMs"?)'],
  ['timeout', [], ''],
])('%j of %j: %j', (given, known, hint) => {
  expect(didYouMean(given, known)).toBe(hint);
});
