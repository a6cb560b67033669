/** Generates OpenAPI 3.1 documents. Also exports its parts, for generators that add access postures. */
export { buildDocument, type DocumentExtensions, generateOpenAPI, generateOpenAPIJSON } from './openapi/document.js';
export { type ParsedRoute, parseOpenApiSpec } from './openapi/parse.js';
export {
  compareCodePoints,
  type OpenApiDocument,
  type OpenApiField,
  type OpenApiPath,
  type OpenApiRoute,
  type OpenApiSpec,
  type OpenApiValidation,
  toCanonicalJson,
  toOpenApiPath,
} from './openapi/spec.js';
