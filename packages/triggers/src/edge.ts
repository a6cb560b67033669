// Lambda@Edge: a handler outside containers, and its events for tests.
export { buildEdgeEvent, type EdgeEvent, type EdgeEventOptions } from './edge/build.js';
export {
  type EdgeConfig,
  type EdgeEventType,
  type EdgeHandlers,
  type EdgeHeaders,
  type EdgeRequest,
  type EdgeRequestHandler,
  type EdgeResponse,
  type EdgeResponseHandler,
  edgeHandler,
} from './edge/handler.js';
