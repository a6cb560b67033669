import type * as Sdk from '@modelcontextprotocol/client';
import * as official from '@modelcontextprotocol/core';
import type * as Ours from '../src/index.js';
import { Rig } from './support/rig.js';
import { registerAll } from './support/server.js';

/** Fails to compile if a value of `From` is not a value of `To`. */
function assignable<From extends To, To>(..._proof: [From?, To?]): void {}

it('our shapes are assignable to the types of the official SDK, and back', () => {
  assignable<Ours.Implementation, Sdk.Implementation>();
  assignable<Sdk.Implementation, Ours.Implementation>();
  assignable<Ours.CallToolResult, Sdk.CallToolResult>();
  assignable<Sdk.TextContent, Ours.TextContent>();
  assignable<Ours.ContentBlock, Sdk.ContentBlock>();
  assignable<Sdk.ContentBlock, Ours.ContentBlock>();
  assignable<Sdk.CallToolResult, Ours.CallToolResult>();
  assignable<Ours.GetPromptResult, Sdk.GetPromptResult>();
  assignable<Sdk.GetPromptResult, Ours.GetPromptResult>();
  assignable<Sdk.ReadResourceResult, Ours.ReadResourceResult>();
  assignable<Ours.ReadResourceResult, Sdk.ReadResourceResult>();
  assignable<Ours.ToolAnnotations, Sdk.ToolAnnotations>();
  assignable<Sdk.ToolAnnotations, Ours.ToolAnnotations>();
  assignable<Ours.Root, Sdk.Root>();
  assignable<Sdk.Root, Ours.Root>();
  assignable<Ours.ClientCapabilities, Sdk.ClientCapabilities>();
  assignable<Sdk.ClientCapabilities, Ours.ClientCapabilities>();
  assignable<Ours.LogLevel, Sdk.LoggingLevel>();
  assignable<Sdk.LoggingLevel, Ours.LogLevel>();
});

describe('every answer parses with the schemas of the official package', () => {
  const rig = new Rig({ register: registerAll });

  it.each([
    ['tools/list', {}, official.ListToolsResultSchema],
    ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, official.CallToolResultSchema],
    ['tools/call', { name: 'fail' }, official.CallToolResultSchema],
    ['prompts/list', {}, official.ListPromptsResultSchema],
    ['prompts/get', { name: 'greet', arguments: { name: 'x' } }, official.GetPromptResultSchema],
    ['resources/list', {}, official.ListResourcesResultSchema],
    ['resources/templates/list', {}, official.ListResourceTemplatesResultSchema],
    ['resources/read', { uri: 'notes://index' }, official.ReadResourceResultSchema],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } },
      official.CompleteResultSchema,
    ],
  ] as const)('%s', async (method, params, schema) => {
    const session = (await (await rig.connect()).request(method, params)).json;
    const stateless = (await rig.stateless(method, params)).json;
    for (const { result } of [session, stateless]) expect(schema.safeParse(result).error).toBeUndefined();
    expect(official.JSONRPCResultResponseSchema.safeParse(session).error).toBeUndefined();
  });

  it('server/discover', async () => {
    const { result } = (await rig.stateless('server/discover')).json;
    expect(official.DiscoverResultSchema.safeParse(result).error).toBeUndefined();
  });

  it('questions, progress and logs', async () => {
    const session = await rig.connect();
    const [, elicitation] = (await session.call('ask')).events;
    expect(official.ElicitRequestSchema.safeParse(elicitation?.data).error).toBeUndefined();
    const [, sampling] = (await session.call('ask-model')).events;
    expect(official.CreateMessageRequestSchema.safeParse(sampling?.data).error).toBeUndefined();
    const [, progress, log] = (await session.call('report', {}, { meta: { progressToken: 1 } })).events;
    expect(official.ProgressNotificationSchema.safeParse(progress?.data).error).toBeUndefined();
    expect(official.LoggingMessageNotificationSchema.safeParse(log?.data).error).toBeUndefined();
  });

  it('errors', async () => {
    const { json } = await (await rig.connect()).request('nope');
    expect(official.JSONRPCErrorResponseSchema.safeParse(json).error).toBeUndefined();
  });
});
