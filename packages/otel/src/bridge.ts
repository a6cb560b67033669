/** Spans of the framework in an application that runs an OpenTelemetry SDK. */

export { fromTracer } from './bridge/from-tracer.js';
