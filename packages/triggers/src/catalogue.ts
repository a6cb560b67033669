// Every trigger of the package for tests and tools: samples, pages, constructs, simulations, forms and sizes. No trigger imports it.
export {
  type CatalogueEntry,
  type SampleHandler,
  type SampleRegistration,
  samplesFor,
  type TriggerSample,
  type TriggerTools,
} from './catalogue/entry.js';
export { CATALOGUE, type CatalogueKind } from './catalogue/table.js';
