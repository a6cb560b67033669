import { cors } from './features.js';
import type { HttpSurfaceOptions } from '../surface/http-surface.js';
import { createKernel, type Kernel, legacyTenant } from './kernel.js';
import { assertPipelineOptions, type OpenPipelineOptions, PIPELINE_OPTIONS, type PipelineOptions } from './options.js';
import { authHookGate } from './stages/auth-hook.js';

/** Names of {@link OpenPipelineOptions}. */
export const OPEN_PIPELINE_OPTIONS: readonly string[] = [...PIPELINE_OPTIONS, 'authHook'];

/** The kernel of an open container, from options whose names were checked. */
export function createOpenKernel(options: OpenPipelineOptions): Kernel {
  assertPipelineOptions(options);
  return createKernel(options, { gate: authHookGate(options.authHook), tenantOf: legacyTenant });
}

/** The part of a container's options that is for HTTP alone; every member its own, so that nothing is inherited. */
export function toHttpOptions(options: PipelineOptions): HttpSurfaceOptions {
  const { httpErrorFormat, basePath, autoHead, cors: origins, tier } = options;
  return { httpErrorFormat, basePath, autoHead, features: origins && tier !== 'p0' ? [cors(origins)] : [] };
}
