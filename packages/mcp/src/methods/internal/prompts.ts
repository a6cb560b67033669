import { isObject } from '@sallyport/core/internal';
import { own, toTexts } from '../../protocol/internal/json-rpc.js';
import type { JsonObject, PromptMessage } from '../../protocol/types.js';
import { invalidParams } from '../../server/errors.js';
import { defineList } from './lists.js';
import { defineMethod, type MethodPlace } from './method.js';

const hasPrompts = ({ server }: MethodPlace) => server.registry.prompts.size > 0;

export const listPrompts = defineList('prompts/list', 'prompts', {
  isServed: hasPrompts,
  capability: (notifies) => ({ prompts: notifies ? { listChanged: true } : {} }),
});

export const getPrompt = defineMethod({
  name: 'prompts/get',
  eras: ['session', 'stateless'],
  isServed: hasPrompts,
  named: 'name',
  findsCall: true,
  hooked: true,
  handle({ server, params }) {
    const name = own(params, 'name');
    const prompt = typeof name === 'string' ? server.registry.prompts.get(name) : undefined;
    if (!prompt) throw invalidParams('Unknown prompt');
    const args = toTexts(own(params, 'arguments') ?? {});
    if (!args) throw invalidParams('"arguments" must be an object of strings');
    for (const [argument, { required }] of prompt.args) {
      if (required && args[argument] === undefined) throw invalidParams(`Missing argument "${argument}"`);
    }
    const invoke = (ctx: Parameters<typeof prompt.handler>[1]) => prompt.handler(args, ctx);
    return {
      call: { method: 'prompts/get', target: prompt, name: prompt.name, args, invoke, complete: toPromptResult },
    };
  },
});

function toPromptResult(answer: unknown): JsonObject {
  if (typeof answer === 'string') {
    const message: PromptMessage = { role: 'user', content: { type: 'text', text: answer } };
    return { messages: [message] };
  }
  if (Array.isArray(answer)) return { messages: answer };
  if (isObject(answer) && Array.isArray(answer.messages)) return answer;
  throw new TypeError('framework: mcp: a prompt must return text, messages or a full result');
}
