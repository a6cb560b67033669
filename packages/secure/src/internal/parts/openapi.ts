import type { HttpErrorFormat } from '@sallyport/http';
import type { Registration } from '@sallyport/http/internal';
import { buildSecureDocument, toInventorySpec } from '../../openapi/document.js';

export { toCanonicalJson } from '@sallyport/http/openapi';
export { buildSecureDocument as generateDocument } from '../../openapi/document.js';

/** The document of operations without a description, for tools; `null` if the bundle leaves it out. */
export function describeOperations(registrations: readonly Registration[], httpErrorFormat: HttpErrorFormat): unknown {
  return buildSecureDocument(toInventorySpec(), registrations, httpErrorFormat);
}
