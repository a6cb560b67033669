/** What `http`, `appsync`, `secure` and `streams` build on; applications have no use for it. */
export {
  type ContextRuntime,
  ContextState,
  RESERVED_PREFIX,
  RequestContext,
  remainingMs,
  STAGE,
  stateOf,
} from './context.js';
export { append, appendHeader, toHeaderMap, toStringList } from './multimap.js';
export { decodePercent, decodeQueryPart } from './percent.js';
export { canonicalMethod, canonicalPath, IncomingRequest, type RequestSource } from './request.js';
export { canonicalizeResponse, closeStream, OutgoingResponse, toResponse } from './response.js';
export type { ContextTransport } from './transport.js';
