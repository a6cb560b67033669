export const orders = new Map([['1', { id: '1', sku: 'pen', count: 2 }]]);
