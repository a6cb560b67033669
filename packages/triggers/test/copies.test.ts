import type * as AppSyncAuthorizers from '../src/kinds/appsync-authorizer.js';
import { AppSyncDecision } from '../src/kinds/appsync-authorizer.js';
import type * as Authorizers from '../src/kinds/authorizer-token.js';
import { AuthorizerAnswer } from '../src/kinds/authorizer-token.js';

const [ONE, TWO] = ['../src/kinds/authorizer-token.js?copy=2', '../src/kinds/appsync-authorizer.js?copy=2'];
const authorizers = (await import(ONE)) as typeof Authorizers;
const appSync = (await import(TWO)) as typeof AppSyncAuthorizers;

it('understands the answer of an authorizer that another copy of the package made', () => {
  expect(AuthorizerAnswer.read(authorizers.allow('ada', { context: { n: 1 } }))).toEqual({
    effect: 'allow',
    principalId: 'ada',
    context: { n: 1 },
  });
  expect(AppSyncDecision.read(appSync.AppSyncDecision.allow({ ttlSeconds: 5 }))).toEqual({ ttlSeconds: 5 });
});

it.each([
  ['a spread copy', { ...authorizers.allow('ada') }, { ...appSync.AppSyncDecision.allow() }],
  [
    'its JSON',
    JSON.parse(JSON.stringify(authorizers.allow('ada'))),
    JSON.parse(JSON.stringify(appSync.AppSyncDecision.allow())),
  ],
])('denies for %s of an answer', (_, answer, decision) => {
  expect([AuthorizerAnswer.read(answer).effect, AppSyncDecision.read(decision)]).toEqual(['deny', undefined]);
});
