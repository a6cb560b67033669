/** Applications with web-standard requests and responses, protected by a posture. */
export {
  type AuthInfo,
  type MountHandlerOptions,
  type MountTarget,
  mountHandler,
  type WebHandler,
} from './web/mount-handler.js';
