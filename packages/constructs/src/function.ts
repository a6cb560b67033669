export { type BundleFunctionProps, bundleFunction } from './function/bundle-function.js';
export { ServiceFunction, type ServiceFunctionProps } from './function/service-function.js';
