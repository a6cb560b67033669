// Made from kinds/custom-resource.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  CustomResource,
  type CustomResourceOptions,
  customResource,
  type ResourceHandler,
  type ResourceHandlers,
  type ResourceRequest,
  type ResourceResult,
  type ResponseFetch,
} from './kinds/custom-resource.js';
