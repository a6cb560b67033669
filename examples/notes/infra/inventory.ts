import { type Inventory, toInventory } from '@sallyport/constructs/wiring';
import { createDemoApp } from '../demo/entry.js';

/** What the service registers. Its parts in memory need no variable and no network. */
export function notesInventory(): Inventory {
  const publicUrl = 'https://notes.example.com';
  return toInventory(createDemoApp({ issuer: 'https://issuer.example.com', keysUrl: `${publicUrl}/keys`, publicUrl }));
}
