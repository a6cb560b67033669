// Runs in AppSync (APPSYNC_JS), which has this package.
import { util } from '@aws-appsync/utils';

/** Hands everything over to the function. */
export function request(ctx) {
  return { operation: 'Invoke', payload: ctx };
}

/** Makes a GraphQL error of the object that the service answers for a failed field. */
export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  if (ctx.result?.framework_error === true) util.error(ctx.result.error_message, ctx.result.error_info.code);
  return ctx.result;
}
