import { isObject } from '@sallyport/core/internal';
import { own, toTexts } from '../../protocol/internal/json-rpc.js';
import type { Era, JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { Completer, CompletionAnswer } from '../../server/definitions.js';
import { invalidParams, unknownResource } from '../../server/errors.js';
import type { Registry } from '../../server/internal/registry.js';
import { defineMethod } from './method.js';

const MAX_VALUES = 100;

export const complete = defineMethod({
  name: 'completion/complete',
  eras: ['session', 'stateless'],
  isServed: ({ server }) => server.registry.hasCompleters,
  capability: () => ({ completions: {} }),
  findsCall: true,
  handle({ server, era, params }) {
    const ref = own(params, 'ref');
    const argument = own(params, 'argument');
    if (!isObject(ref) || !isObject(argument)) throw invalidParams('"ref" and "argument" must be objects');
    const { name, value } = argument;
    if (typeof name !== 'string' || typeof value !== 'string')
      throw invalidParams('"argument" must have a name and a value');
    const context = own(params, 'context');
    const args = toTexts((isObject(context) ? own(context, 'arguments') : undefined) ?? {}) ?? {};
    const { target, completer } = findCompleter(server.registry, era, ref, name);
    return {
      call: {
        method: 'completion/complete',
        target,
        name: target.name,
        args: undefined,
        invoke: async (ctx) => ({ completion: toCompletion(await runCompleter(completer, value, args, ctx)) }),
        complete: (answer) => answer as JsonObject,
      },
    };
  },
});

function findCompleter(registry: Registry, era: Era, ref: JsonObject, argument: string) {
  if (ref.type === 'ref/prompt' && typeof ref.name === 'string') {
    const prompt = registry.prompts.get(ref.name);
    if (!prompt) throw invalidParams('Unknown prompt');
    const known = prompt.args.get(argument);
    if (!known) throw invalidParams('Unknown argument');
    return { target: prompt, completer: known.complete };
  }
  if (ref.type !== 'ref/resource' || typeof ref.uri !== 'string') throw invalidParams('Unknown reference');
  const template = registry.templates.get(ref.uri);
  if (!template) throw unknownResource(era, ref.uri);
  if (!template.template.names.includes(argument)) throw invalidParams('Unknown argument');
  return { target: template, completer: template.complete.get(argument) };
}

async function runCompleter(
  completer: Completer | undefined,
  value: string,
  args: Readonly<Record<string, string>>,
  ctx: McpContext,
): Promise<CompletionAnswer> {
  if (completer === undefined) return { values: [] };
  if (typeof completer === 'function') {
    const answer = await completer(value, args, ctx);
    return isList(answer) ? { values: answer } : answer;
  }
  const prefix = value.toLowerCase();
  return { values: completer.filter((candidate) => candidate.toLowerCase().startsWith(prefix)) };
}

function isList(answer: readonly string[] | CompletionAnswer): answer is readonly string[] {
  return Array.isArray(answer);
}

function toCompletion({ values, total, hasMore }: CompletionAnswer): JsonObject {
  const shown = values.slice(0, MAX_VALUES);
  const cut = shown.length < values.length;
  return { values: shown, total: total ?? (cut ? values.length : undefined), hasMore: hasMore ?? cut };
}
