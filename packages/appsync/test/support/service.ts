import type { LambdaContext } from '@sallyport/core';
import type { OpenPipelineOptions } from '@sallyport/http';
import { createOpenKernel, HttpSurface, toHttpOptions } from '@sallyport/http/internal';
import { type AppSyncOptions, AppSyncSurface } from '../../src/internal.js';

/** The two surfaces of an open container. */
export interface Service {
  readonly graphql: AppSyncSurface;
  readonly http: HttpSurface;
  readonly use: ReturnType<typeof createOpenKernel>['book']['use'];
  readonly serve: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
}

export const LAMBDA: LambdaContext = { awsRequestId: 'req-1', getRemainingTimeInMillis: () => 30_000 };

export function createService(options: OpenPipelineOptions & AppSyncOptions = {}): Service {
  const { batchConcurrency, batchResult, deadlineMarginMs, errorMode, ...pipeline } = options;
  const kernel = createOpenKernel(pipeline);
  const http = new HttpSurface(kernel, toHttpOptions(pipeline));
  const graphql = new AppSyncSurface(kernel, {
    http,
    ...(batchConcurrency === undefined ? {} : { batchConcurrency }),
    ...(batchResult === undefined ? {} : { batchResult }),
    ...(deadlineMarginMs === undefined ? {} : { deadlineMarginMs }),
    ...(errorMode === undefined ? {} : { errorMode }),
  });
  return {
    graphql,
    http,
    use: (middleware) => kernel.book.use(middleware),
    serve: (event, lambdaContext = LAMBDA) => graphql.serve('appsync', event, { lambdaContext }),
  };
}

export interface Draft {
  readonly parent?: string;
  readonly field?: string;
  readonly args?: unknown;
  readonly headers?: Record<string, unknown>;
  readonly source?: unknown;
  readonly more?: Record<string, unknown>;
}

export function resolverEvent({ parent = 'Query', field = 'note', args = {}, headers, source, more = {} }: Draft = {}) {
  return {
    arguments: args,
    info: { fieldName: field, parentTypeName: parent },
    ...(headers ? { request: { headers, domainName: null } } : {}),
    ...(source === undefined ? {} : { source }),
    ...more,
  };
}

/** The error object of a framework error. */
export function portable(
  code: string,
  status: number,
  message: string,
  method: string,
  path: string,
  details?: unknown,
) {
  return {
    framework_error: true,
    error_message: message,
    error_type: status < 500 ? 'CLIENT_ERROR' : 'SYSTEM_ERROR',
    error_data: { status_code: status, request_id: 'req-1' },
    error_info: { code, trigger_type: 'appsync', method, path, ...(details === undefined ? {} : { details }) },
  };
}

export const MASKED = {
  framework_error: true,
  error_message: 'internal error',
  error_type: 'SYSTEM_ERROR',
  error_data: {},
  error_info: {},
};
