// Every trigger of the package for tests and tools: samples, pages, constructs, simulations, forms and sizes. No trigger imports it.
export type {
  CatalogueEntry,
  SampleHandler,
  SampleRegistration,
  TriggerSample,
  TriggerTools,
} from './catalogue/entry.js';
export { CATALOGUE, type CatalogueKind } from './catalogue/table.js';
