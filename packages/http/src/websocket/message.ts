import type { Context, Handler, MaybePromise, Result, StandardSchema } from '@sallyport/core';
import { keepStated, membersOf } from '@sallyport/core/internal';
import { defineOptions, invalidOption, isStandardSchema, text } from '@sallyport/core/options';
import { IssueList, readBody, runSchema } from '../bind/internal/input.js';

/** Options of {@link message}; an unknown key is rejected. */
export interface MessageOptions {
  /** The member of the message with the data: `{ action: 'send', data: … }`. Default `data`. */
  readonly member?: string;
}

/** Validators and defaults for {@link MessageOptions}. */
const MESSAGE_OPTIONS = /* @__PURE__ */ defineOptions<MessageOptions>()({
  member: /* @__PURE__ */ text('the name of a member').default('data'),
});

/**
 * Wraps the handler of a WebSocket route so that it receives the validated data of a message `{ "action": "send", "data": … }`.
 *
 * @param schema a Standard Schema validator (zod, valibot, arktype, …) of the data
 * @throws FrameworkError `app.invalid_configuration` for an invalid schema, handler or option; for a message `app.bad_request` (not
 *   JSON), `app.validation_failed` (rejected by the schema)
 * @example
 * app.webSocket('send', message(Draft, (ctx, draft) => publish(draft)), Authenticated());
 */
export function message<Output>(
  schema: StandardSchema<unknown, Output> | StandardSchema<never, Output>,
  handler: (ctx: Context, data: Output) => MaybePromise<Awaited<Result>>,
  options: MessageOptions = {},
): Handler {
  if (!isStandardSchema(schema)) throw invalidOption('schema', 'a Standard Schema (version 1)');
  if (typeof handler !== 'function') throw invalidOption('handler', 'a function');
  const { member } = MESSAGE_OPTIONS.parse(options);
  const checked = async (ctx: Context) => {
    const issues = new IssueList();
    const data = await runSchema('message', schema, membersOf(readBody(ctx, false))[member], issues);
    if (issues.found) throw issues.toError();
    return handler(ctx, data as Output);
  };
  Object.defineProperty(checked, 'name', { value: handler.name });
  return keepStated(checked, { message: schema, member });
}
