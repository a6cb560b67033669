export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export type { ResponseFetch } from './internal/put-response.js';
export {
  CustomResource,
  type CustomResourceOptions,
  customResource,
  type ResourceHandler,
  type ResourceHandlers,
  type ResourceRequest,
  type ResourceResult,
} from './kinds/custom-resource.js';
