export { ManagedConnectors } from './microvm/managed-connectors.js';
export { MicrovmController, type MicrovmControllerProps } from './microvm/microvm-controller.js';
export { MicrovmImage, type MicrovmImageProps } from './microvm/microvm-image.js';
