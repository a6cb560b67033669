import { z } from 'zod';
import { createMcpServer, type McpContext, type RequestId, type RequestMeta } from '../src/index.js';

/** Compiles when both are the same type. */
function same<A, B>(
  ..._proof: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]
): void {}

const secret = { current: 'k'.repeat(32) };
const make = () => createMcpServer({ name: 'typed', version: '1.0.0', secret });
const Sum = z.object({ sum: z.number() });
const text = () => '';

it('a tool receives the type of its input', () => {
  const server = make();
  server.tool('a', { input: z.object({ a: z.number(), b: z.string().optional() }) }, (args) => {
    same<typeof args, { a: number; b?: string | undefined }>();
    return '';
  });
  server.tool('b', { input: z.object({ day: z.string().transform((day) => new Date(day)) }) }, ({ day }) => {
    same<typeof day, Date>();
    return '';
  });
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]);
  server.tool('c', { input: shape }, (args) => (args.kind === 'circle' ? String(args.radius) : String(args.side)));
  // @ts-expect-error -- no member of the input
  server.tool('d', { input: z.object({ a: z.number() }) }, ({ b }) => String(b));
  // @ts-expect-error -- an option that does not exist
  expect(() => server.tool('e', { inputs: z.object({}) }, text)).toThrow(
    expect.failure('mcp.invalid_registration', 'unknown option "inputs"'),
  );
});

it('the result of a tool is checked against its output', () => {
  const server = make();
  server.tool('good', { output: Sum }, () => ({ structured: { sum: 1 } }));
  server.tool('error', { output: Sum }, () => ({ content: [{ type: 'text', text: 'no' }], isError: true }));
  server.tool('full', { output: Sum }, () => ({ content: [], structuredContent: { sum: 1 } }));
  server.tool('later', { output: Sum }, async () => ({ structured: { sum: 1 } }));
  server.tool('raw', { output: { type: 'object' } }, () => ({ structured: { anything: 1 } }));
  // @ts-expect-error -- a string for a number
  server.tool('type', { output: Sum }, () => ({ structured: { sum: 'x' } }));
  // @ts-expect-error -- a member is missing
  server.tool('missing', { output: Sum }, () => ({ structured: {} }));
  // @ts-expect-error -- a string has no structured result
  server.tool('text', { output: Sum }, () => 'three');
  // @ts-expect-error -- a full result without structured content must be an error
  server.tool('content', { output: Sum }, () => ({ content: [] }));
  // @ts-expect-error -- the structured part of a full result
  server.tool('structured', { output: Sum }, () => ({ content: [], structuredContent: { sum: 'x' } }));
  // @ts-expect-error -- a tool must return a result
  server.tool('nothing', {}, () => undefined);
});

it('a prompt gets its arguments, required ones for certain', () => {
  const server = make();
  server.prompt('p', { args: { language: { required: true }, tone: { complete: ['dry'] } } }, (args) => {
    same<typeof args.language, string>();
    same<typeof args.tone, string | undefined>();
    // @ts-expect-error -- no argument of the prompt
    return String(args.langauge);
  });
  server.prompt('q', { args: { a: { complete: (value, args, ctx) => [value, args.b ?? '', ctx.tenantId] } } }, text);
});

it('a template gets its variables', () => {
  const server = make();
  server.resourceTemplate('notes://{id}/{+path}', { name: 'n', complete: { id: ['1'] } }, (variables) => {
    same<typeof variables, { readonly id: string; readonly path: string }>();
    // @ts-expect-error -- no variable of the template
    return variables.name;
  });
  // @ts-expect-error -- a completer of no variable
  expect(() => server.resourceTemplate('m://{id}', { name: 'm', complete: { ID: [] } }, text)).toThrow(
    expect.failure('mcp.invalid_registration', '"ID"'),
  );
  const dynamic: string = ['o://', '{id}'].join('');
  server.resourceTemplate(dynamic, { name: 'o' }, ({ id }) => id);
});

it('a context has methods for the questions that were announced', () => {
  const server = make();
  server.tool('elicits', { asks: ['elicitation'] }, async (_, ctx) => {
    const answer = await ctx.elicit({ message: 'Day?', requestedSchema: z.object({ day: z.string() }) });
    // @ts-expect-error -- there is content only if the user accepted
    answer.content.day.trim();
    return answer.action === 'accept' ? answer.content.day : '';
  });
  server.tool('both', { asks: ['sampling'], requires: ['roots'] }, async (_, ctx) => {
    await ctx.roots();
    await ctx.sample({ messages: [], maxTokens: 1 });
    // @ts-expect-error -- not announced
    await ctx.elicit({ message: 'x' });
    return '';
  });
  server.tool('none', {}, (_, ctx) => {
    // @ts-expect-error -- nothing is announced
    void (() => ctx.sample({ messages: [], maxTokens: 1 }));
    return '';
  });
  server.resource('a://b', { name: 'b', asks: ['roots'] }, async (_, ctx) => String((await ctx.roots()).length));
  server.resourceTemplate('a://{c}', { name: 'c', asks: ['roots'] }, async (_, ctx) =>
    String((await ctx.roots()).length),
  );
  server.prompt('p', { asks: ['roots'] }, async (_, ctx) => String((await ctx.roots()).length));
  // @ts-expect-error -- an unknown kind of question
  expect(() => server.tool('money', { asks: ['money'] }, text)).toThrow(
    expect.failure('mcp.invalid_registration', '"asks[0]"'),
  );
});

it('a helper accepts the context of every handler', () => {
  const server = make();
  const report = (ctx: McpContext) => {
    same<typeof ctx.requestId, RequestId>();
    same<typeof ctx.meta, RequestMeta>();
    same<typeof ctx.meta.traceparent, string | undefined>();
    ctx.progress(1);
    return '';
  };
  server.tool('a', {}, (_, ctx) => report(ctx));
  server.tool('b', { asks: ['elicitation', 'sampling', 'roots'] }, (_, ctx) => report(ctx));
  server.tool('c', {}, (_, ctx: McpContext) => report(ctx));
});

it('a check receives the arguments, and undefined for a list', () => {
  const server = make();
  server.tool(
    'a',
    { input: z.object({ owner: z.string() }), authorize: (ctx, args) => args?.owner === ctx.tenantId },
    text,
  );
  // @ts-expect-error -- for lists, `authorize` has no arguments
  server.tool('b', { input: z.object({ owner: z.string() }), authorize: (_, args) => args.owner === 'ada' }, text);
});
