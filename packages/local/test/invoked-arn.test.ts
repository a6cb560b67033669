import { invokedArn } from '../src/internal/runtime/variables.js';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:service';

test.each([
  ['no variable', undefined, ARN],
  ['an alias', '{"qualifier":"doors"}', `${ARN}:doors`],
  ['ids alone', '{"httpApi":"a"}', ARN],
  ['a malformed variable', 'doors', ARN],
  ['null', 'null', ARN],
])('the ARN of an invocation with %s in FRAMEWORK_DOORS', (_name, variable, expected) => {
  expect(invokedArn('service', variable === undefined ? {} : { FRAMEWORK_DOORS: variable })).toBe(expected);
});

test('an alias that is invoked replaces the alias of the front doors', () => {
  expect(invokedArn('service', { FRAMEWORK_DOORS: '{"qualifier":"doors"}' }, 'cellar')).toBe(`${ARN}:cellar`);
});
