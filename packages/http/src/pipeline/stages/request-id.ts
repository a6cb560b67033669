import type { Stage } from '../run.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** Whether a client's request id may be taken over. */
export function isRequestId(value: string | undefined): value is string {
  return value !== undefined && VISIBLE_ASCII.test(value);
}

/** The client's id if it is fit to print, else the invocation's, else a new one. */
export const requestId: Stage = ({ state }) => {
  const sent = state.request.headerValues('x-request-id')[0];
  state.requestId = isRequestId(sent) ? sent : state.lambdaContext?.awsRequestId?.trim() || state.runtime.ids.newId();
  return undefined;
};
