import type { BoundFields } from '../../observability/bound-log.js';
import { otherTraceId } from '../../request/provenance.js';
import type { ContextState } from '../context-state.js';

/** The fields of every line of an invocation; read for each line, because tenant and route become known late. */
export function boundFields(state: ContextState): BoundFields {
  return {
    get request_id() {
      return state.requestId;
    },
    get trace_id() {
      return state.span?.id('traceId') || state.traceId;
    },
    get remote_trace_id() {
      return state.span?.id('remoteTraceId') ?? '';
    },
    get xray_trace_id() {
      return otherTraceId(this.trace_id, state.lambdaContext, state.runtime.environment);
    },
    get tenant_id() {
      return state.tenantId;
    },
    trigger: state.triggerKind,
    get route() {
      return state.route?.pattern ?? '';
    },
    function_name: state.lambdaContext?.functionName ?? '',
    function_version: state.lambdaContext?.functionVersion ?? '',
  };
}
