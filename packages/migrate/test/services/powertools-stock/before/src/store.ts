export const items = new Map([['pen', { sku: 'pen', count: 3 }]]);
