import { alexaSkill, connectFlow, type LexTurn, lexBot } from '@sallyport/triggers';
import { buildAlexaEvent, buildConnectEvent, buildLexEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const SKILL = { skillId: 'amzn1.ask.skill.1' };
const CLOSE = { sessionState: { dialogAction: { type: 'Close' } } } as const;

describe.each(HOSTS)('in %s', (_host, host) => {
  it('a turn reaches the handler of its hook and intent', async () => {
    const seen: (Partial<LexTurn> | string)[] = [];
    const app = host(() =>
      lexBot()
        .dialog('Order', (_ctx, { text }) => {
          seen.push(text);
          return { sessionState: { dialogAction: { type: 'Delegate' } } };
        })
        .fulfillment('Order', (_ctx, { hook, intent, slots, sessionId, bot }) => {
          seen.push({ hook, intent, sessionId, slots: Object.keys(slots) as never, bot: bot.aliasName as never });
          return CLOSE;
        }),
    );
    await expect(app.handleLambda(buildLexEvent('Order', { slots: { size: 'large' } }))).resolves.toEqual(CLOSE);
    await expect(app.handleLambda(buildLexEvent('Order', { source: 'DialogCodeHook', text: 'yes' }))).resolves.toEqual({
      sessionState: { dialogAction: { type: 'Delegate' } },
    });
    expect(seen).toEqual([
      { hook: 'fulfillment', intent: 'Order', sessionId: 'session-1', slots: ['size'], bot: 'live' },
      'yes',
    ]);
  });

  it('a contact has parameters and attributes', async () => {
    const app = host(() =>
      connectFlow((_ctx, { contactId, channel, payload, attributes }) => ({
        contactId,
        channel,
        ...(payload as object),
        ...(attributes as object),
      })),
    );
    const event = buildConnectEvent({ parameters: { step: 'greeting' }, attributes: { tier: 'gold' } });
    await expect(app.handleLambda(event)).resolves.toEqual({
      contactId: 'contact-1',
      channel: 'VOICE',
      step: 'greeting',
      tier: 'gold',
    });
  });

  it('an intent and a request of another type have their handlers', async () => {
    const keys: unknown[] = [];
    const app = host(() =>
      alexaSkill(SKILL)
        .intent('Order', (ctx, { slots, locale }) => {
          keys.push(ctx.eventKey);
          return { response: { outputSpeech: { type: 'PlainText', text: `${locale} ${Object.keys(slots)}` } } };
        })
        .request('LaunchRequest', () => ({ sessionAttributes: { step: 1 }, response: {} }))
        .request('SessionEndedRequest', () => undefined),
    );
    await expect(app.handleLambda(buildAlexaEvent('Order', { slots: { size: 'large' } }))).resolves.toEqual({
      version: '1.0',
      response: { outputSpeech: { type: 'PlainText', text: 'en-US size' } },
    });
    await expect(app.handleLambda(buildAlexaEvent('', { type: 'LaunchRequest' }))).resolves.toEqual({
      version: '1.0',
      sessionAttributes: { step: 1 },
      response: {},
    });
    await expect(app.handleLambda(buildAlexaEvent('', { type: 'SessionEndedRequest' }))).resolves.toEqual({
      version: '1.0',
      response: {},
    });
    await expect(app.handleLambda(buildAlexaEvent('Refund'))).rejects.toMatchObject({ code: 'triggers.no_handler' });
    await expect(app.handleLambda(buildAlexaEvent('Order', { skillId: 'other' }))).rejects.toMatchObject({
      code: 'triggers.denied',
    });
    expect(keys).toEqual(['amzn1.ask.skill.1|request-1']);
  });
});

it.each<[string, unknown, string | undefined]>([
  ['each action', { sessionState: { dialogAction: { type: 'Delegate' } } }, undefined],
  ['nothing', undefined, 'sessionState.dialogAction.type must be one of'],
  ['no action', { sessionState: {} }, 'sessionState.dialogAction.type must be one of'],
  ['the action of Lex V1', { dialogAction: { type: 'Close', fulfillmentState: 'Fulfilled' } }, 'must be one of'],
  ['an action in lower case', { sessionState: { dialogAction: { type: 'close' } } }, 'must be one of'],
  ['a slot without name', { sessionState: { dialogAction: { type: 'ElicitSlot' } } }, 'ElicitSlot needs slotToElicit'],
  [
    'an intent without message',
    { sessionState: { dialogAction: { type: 'ElicitIntent' } } },
    'ElicitIntent needs messages',
  ],
  ['messages that are no list', { ...CLOSE, messages: { contentType: 'PlainText', content: 'a' } }, 'must be a list'],
  ['a message without content', { ...CLOSE, messages: [{ contentType: 'PlainText' }] }, 'must be a list'],
  [
    'a card without title',
    { ...CLOSE, messages: [{ contentType: 'ImageResponseCard', imageResponseCard: {} }] },
    'list',
  ],
  ['an HTTP response', { statusCode: 200, body: '{}' }, 'must be one of'],
])('Lex gets an answer that it can read: %s', async (_what, answer, message) => {
  const running = lexBot()
    .fulfillment('Order', () => answer as never)
    .handleLambda(buildLexEvent('Order'));
  if (message === undefined) await expect(running).resolves.toEqual(answer);
  else await expect(running).rejects.toThrow(expect.failure('triggers.invalid_answer', message));
});

it.each<[string, object, unknown, string | undefined]>([
  ['nothing', {}, undefined, undefined],
  ['a number', {}, { n: 1 }, 'flat object of strings'],
  ['nested members', {}, { a: { b: 'c' } }, 'flat object of strings'],
  ['nested members as JSON', { response: 'JSON' }, { a: { b: 'c' } }, undefined],
  ['a list', { response: 'JSON' }, [1], 'must be an object or undefined'],
  ['32 KB', {}, { a: 'x'.repeat(32_768 - 8) }, undefined],
  ['more than 32 KB', {}, { a: 'x'.repeat(32_768 - 7) }, 'more than 32 KB'],
])('Connect gets an answer that it can read: %s', async (_what, options, answer, message) => {
  const running = connectFlow(() => answer as never, options).handleLambda(buildConnectEvent());
  if (message === undefined) await expect(running).resolves.toEqual(answer ?? {});
  else await expect(running).rejects.toThrow(expect.failure('triggers.invalid_answer', message));
});

it.each<[string, () => unknown, string]>([
  [
    'an intent of Lex twice',
    () =>
      lexBot()
        .dialog('a', () => CLOSE)
        .dialog('a', () => CLOSE),
    'duplicate handler for code hook',
  ],
  ['a blank intent of Lex', () => lexBot().dialog(' ', () => CLOSE), 'code hook name is empty'],
  ['a skill without id', () => alexaSkill({} as never), 'option "skillId"'],
  ['a blank intent of Alexa', () => alexaSkill(SKILL).intent('', () => undefined), 'request name is empty'],
  ['an unknown validation', () => connectFlow(() => ({}), { response: 'XML' as never }), 'option "response"'],
])('rejects %s', (_what, make, message) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration', message));
});

it('the registrations of a bot are listed with their hooks', () => {
  const bot = lexBot()
    .dialog('Order one', () => CLOSE)
    .fulfillment('Order one', () => CLOSE);
  expect(bot.triggers()).toEqual([
    { kind: 'lex', name: 'Order one', options: { hook: 'dialog' } },
    { kind: 'lex', name: 'Order one', options: { hook: 'fulfillment' } },
  ]);
});
