/** OpenAPI 3.1 documents; and, for generators that know postures, the parts they are made of. */
export { buildDocument, type DocumentExtensions } from './openapi/document.js';
export { compareCodePoints, toCanonicalJson } from './openapi/json.js';
export { generateOpenAPI, generateOpenAPIJSON } from './openapi/legacy.js';
export { type ParsedRoute, parseOpenApiSpec } from './openapi/parse.js';
export { type OpenApiPath, toOpenApiPath } from './openapi/path.js';
export type {
  OpenApiDocument,
  OpenApiField,
  OpenApiRoute,
  OpenApiSpec,
  OpenApiValidation,
} from './openapi/spec.js';
