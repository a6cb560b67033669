/** Spans of calls of the AWS SDK. */

export { type TraceableClient, traceClient } from './aws/trace-client.js';
