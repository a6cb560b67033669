/** Sanitization, logger, metrics, spans and notification. Kept apart: a hello-world bundle holds none of it. */
export { encodeSafeValue, sanitizeLogString } from './control-characters.js';
export { maskCard, maskFirstLast, maskFirstLast4, maskRestricted } from './masks.js';
export { baseName, namePart, normalizeStage, resourceName } from './names.js';
export type { PolicyAction, SanitizerLimits, SanitizerPolicy } from './sanitize-policy.js';
export { PAYMENT_XML_PATTERNS, type XmlMask, type XmlPattern } from './sanitize-xml.js';
export {
  createSanitizer,
  isSensitiveKey,
  type Sanitizer,
  sanitizeError,
  sanitizeFieldValue,
  sanitizeJson,
  sanitizeValue,
  sanitizeXml,
  scrubFreeText,
} from './sanitizer.js';
