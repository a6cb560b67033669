export const socket = () => ({ status: 200 })
