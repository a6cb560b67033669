import type { HttpDoors } from '../../doors/internal/event.js';
import { gatewayV1Door } from '../../doors/internal/gateway-v1.js';

export const door: HttpDoors = { 'gateway-v1': gatewayV1Door };
