export { problems, type Problem, type ProblemCode } from './problems.ts';
export {
  builtInRoles,
  isBuiltInRole,
  isPermission,
  permissions,
  type BuiltInRole,
  type Permission,
  type PermissionDescription,
  type RoleDescription,
} from './permissions.ts';
export { operations, type Operation, type OperationId } from './operations.ts';
export { isId, newId } from './ids.ts';
export { formatAddress, parseAddress, type Address, type AddressWords } from './network/address.ts';
export { readNetworkEntry, type NetworkEntry, type NetworkEntryReading } from './network/network-entry.ts';
export { NetworkWhitelist } from './network/network-whitelist.ts';
export { sourceAddress } from './network/source-address.ts';
export { currencies } from './currencies.ts';
export {
  pageLimits,
  paymentListSchema,
  paymentRequestSchema,
  paymentSchema,
  type Payment,
  type PaymentList,
  type PaymentRequest,
  type PaymentStatus,
} from './payments.ts';
export { whoamiSchema, type Whoami } from './whoami.ts';
