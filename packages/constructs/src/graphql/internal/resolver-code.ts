/**
 * The code of a resolver: sends the whole context to the function, and turns the error object into a GraphQL error.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/devguide/resolver-reference-lambda-js.html
 */
export function resolverCode(batch: boolean): string {
  return `import { util } from '@aws-appsync/utils';

export function request(ctx) {
  return { operation: '${batch ? 'BatchInvoke' : 'Invoke'}', payload: ctx };
}

export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  if (ctx.result && ctx.result.framework_error === true) {
    util.error(ctx.result.error_message, ctx.result.error_info.code, ctx.result.error_data, ctx.result.error_info);
  }
  return ctx.result;
}
`;
}
