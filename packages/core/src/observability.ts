/** Sanitization, logger, metrics, spans and notification. Kept apart: a hello-world bundle holds none of it. */
export { encodeSafeValue, sanitizeLogString } from './control-characters.js';
export { createEmfSink, type EmfSinkOptions } from './emf-sink.js';
export {
  createErrorNotifier,
  ERROR_NOTIFICATION_TOPIC_ARN_ENV,
  type ErrorNotification,
  type ErrorNotifierOptions,
} from './error-notifier.js';
export {
  type BatchOutcome,
  batchCompleted,
  type EventFacts,
  type EventOutcome,
  eventCompleted,
  recordCompleted,
  startEventSpan,
} from './event-records.js';
export { createLogger, type LoggerLevel, type LoggerOptions, type LogLine, type LogSink } from './logger.js';
export { maskCard, maskFirstLast, maskFirstLast4, maskRestricted } from './masks.js';
export { defineMetrics, type MetricDefinition } from './metrics.js';
export { baseName, namePart, normalizeStage, resourceName } from './names.js';
export { recordLog } from './record-log.js';
export { type RequestOutcome, requestCompleted, startRequestSpan } from './records.js';
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
export type { ActiveSpan, SpanError, SpanMessage } from './spans.js';
export { onwardTraceHeaders, parseTracestate } from './trace.js';
