import type { HttpDoors } from '../../doors/internal/event.js';
import { gatewayV2Door } from '../../doors/internal/gateway-v2.js';

export const door: HttpDoors = { 'gateway-v2': gatewayV2Door };
