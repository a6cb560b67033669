export { type BundleFunctionProps, bundleFunction } from './function/bundle-function.js';
export type { CanaryProps } from './function/canary.js';
export { ServiceAlarms, type ServiceAlarmsProps } from './function/service-alarms.js';
export { ServiceFunction, type ServiceFunctionProps } from './function/service-function.js';
