import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { cognitoTrigger } from '@sallyport/triggers/cognito';
import { buildCognitoEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

describe.each(HOSTS)('a Cognito trigger in %s', (_name, host) => {
  it('answers the event with the result merged into its response', async () => {
    const { handleLambda } = host(() => cognitoTrigger().on('PreSignUp_*', () => ({ autoConfirmUser: true })));
    const event = buildCognitoEvent({ triggerSource: 'PreSignUp_AdminCreateUser' });
    await expect(handleLambda(event)).resolves.toEqual({
      ...event,
      response: { autoConfirmUser: true, autoVerifyEmail: false, autoVerifyPhone: false },
    });
  });

  it('prefers the exact source, and refuses one that is not registered', async () => {
    const make = () =>
      cognitoTrigger()
        .on('PreSignUp_*', () => ({ from: 'all' }))
        .on('PreSignUp_SignUp', () => ({ from: 'one' }));
    await expect(host(make).handleLambda(buildCognitoEvent())).resolves.toMatchObject({ response: { from: 'one' } });
    await expect(
      host(make).handleLambda(buildCognitoEvent({ triggerSource: 'PostConfirmation_ConfirmSignUp' })),
    ).rejects.toMatchObject({ code: 'triggers.no_handler' });
  });

  it('gives a custom sender its response', async () => {
    const { handleLambda } = host(() => cognitoTrigger().on('CustomEmailSender_*', () => undefined));
    const event = buildCognitoEvent({ triggerSource: 'CustomEmailSender_SignUp', response: null });
    await expect(handleLambda(event)).resolves.toEqual({ ...event, response: {} });
  });

  it.each<[string, unknown, string]>([
    ['an error', new Error('row 7 of table users'), 'internal error'],
    ['a text', 'secret', 'internal error'],
    ['a FrameworkError', new FrameworkError('app.forbidden', 'Use your work address.'), 'Use your work address.'],
  ])('shows the user nothing of %s but what is meant for users', async (_what, thrown, text) => {
    const { handleLambda } = host(() =>
      cognitoTrigger().on('PreSignUp_SignUp', () => {
        throw thrown;
      }),
    );
    await expect(handleLambda(buildCognitoEvent())).rejects.toMatchObject({ message: text, code: 'triggers.denied' });
  });

  it('ignores a member __proto__ of a result', async () => {
    const { handleLambda } = host(() =>
      cognitoTrigger().on('PreSignUp_SignUp', () => JSON.parse('{"__proto__":{"autoConfirmUser":true},"x":1}')),
    );
    const answer = (await handleLambda(buildCognitoEvent())) as { response: Record<string, unknown> };
    expect(answer.response).toEqual({ autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false, x: 1 });
    expect(Object.getPrototypeOf(answer.response)).toBe(Object.prototype);
  });
});

it('has at most five seconds, whatever time the function has', async () => {
  const env = createTestEnv();
  const surface = cognitoTrigger().on('PreSignUp_SignUp', (ctx) => {
    deadlines.push(ctx.deadline?.toISOString());
    return new Promise(() => {});
  });
  const deadlines: (string | undefined)[] = [];
  const app = createApp({ ...env.options(), surfaces: [surface] });
  const answer = app.handleLambda(buildCognitoEvent(), env.lambdaContext({ remainingMs: 30_000 }));
  const rejected = expect(answer).rejects.toMatchObject({ message: 'internal error' });
  await env.clock.advance(4_750);
  await rejected;
  expect(deadlines).toEqual(['1970-01-01T00:00:04.500Z']);
});

it.each(['PreSignUp*', '*', 'Pre_Sign_*'])('the source %s is refused', (source) => {
  expect(() => cognitoTrigger().on(source, () => ({}))).toThrow(
    'framework: trigger source: * stands for all of a kind',
  );
});
