/** Applications of web-standard requests and responses behind a posture. */
export {
  type AuthInfo,
  type MountHandlerOptions,
  type MountTarget,
  mountHandler,
  type WebHandler,
} from './web/mount-handler.js';
