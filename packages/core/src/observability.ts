/** Sanitization, logger, metrics, spans and notification. A separate entry, so that a small bundle does not contain it. */

export type { SpanError, SpanMessage } from './observability/active-span.js';
export { recordLog } from './observability/bound-log.js';
export { createEmfSink, type EmfSinkOptions } from './observability/emf-sink.js';
export {
  createErrorNotifier,
  ERROR_NOTIFICATION_TOPIC_ARN_ENV,
  type ErrorNotification,
  type ErrorNotificationLimit,
  type ErrorNotifierOptions,
} from './observability/error-notifier.js';
export { bufferLogs, type LogBufferOptions } from './observability/log-buffer.js';
export {
  createLogger,
  type LoggerLevel,
  type LoggerOptions,
  type LogLine,
  type LogSink,
} from './observability/logger.js';
export { defineMetrics, type MetricDefinition } from './observability/metrics.js';
export { baseName, namePart, normalizeStage, resourceName } from './runtime/names.js';
export { encodeSafeValue, sanitizeLogString } from './sanitize/log-text.js';
export type { PolicyAction, PolicyRule, SanitizerLimits, SanitizerPolicy } from './sanitize/policy.js';
export {
  isHttpCredential,
  isSensitiveKey,
  maskCard,
  maskFirstLast,
  maskFirstLast4,
  maskRestricted,
} from './sanitize/policy.js';
export {
  createSanitizer,
  type Sanitizer,
  sanitizeError,
  sanitizeFieldValue,
  sanitizeJson,
  sanitizeValue,
  sanitizeXml,
  scrubFreeText,
} from './sanitize/sanitizer.js';
export { PAYMENT_XML_PATTERNS, type XmlMask, type XmlPattern } from './sanitize/xml.js';
