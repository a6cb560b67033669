// URLs that follow from a matched route
export { mcpResourceMetadataURL, mcpResourceURL } from './facade/challenge.js';
// Configuration
export {
  type Capabilities,
  defaultCapabilities,
  type FacadeConfig,
  type FacadeTools,
  type HandlerFactory,
  type RootDiscoveryConfig,
  URL_MODE_PUBLIC_BASE_URL,
  URL_MODE_REQUEST_HOST,
  type URLMode,
} from './facade/config.js';
export type { FacadeRoute, RouteInventory } from './facade/inventory.js';
// Registration
export { registerMcpFacade } from './facade/register.js';
