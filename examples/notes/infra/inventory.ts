import { type Inventory, toInventory } from '@sallyport/constructs';
import { createDemoApp } from '../demo/entry.js';

/** The registrations of the service. Its in-memory parts need no variable and no network. */
export function notesInventory(): Inventory {
  const publicUrl = 'https://notes.example.com';
  return toInventory(createDemoApp({ issuer: 'https://issuer.example.com', keysUrl: `${publicUrl}/keys`, publicUrl }));
}
