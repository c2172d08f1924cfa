import type { PermissionEntry, Role } from '@countersign/contract';
import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { type ReactElement, Suspense, useState } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { FieldHint, StatusBadge } from '../components/notice.tsx';
import { LoadingLines, QueryState } from '../components/query-state.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { lazyPart } from '../session/lazy-part.ts';
import classes from './roles-field.module.css';

const PermissionMatrix = lazyPart(
  async () => (await import('../components/permission-matrix.tsx')).PermissionMatrix,
);

const t = apiKeys.form;

export interface RolesFieldProps {
  readonly value: readonly string[];
  readonly onChange: (roles: readonly string[]) => void;
  /** The name of the group. */
  readonly label: string;
  readonly id?: string;
  readonly error?: string | undefined;
}

const rolesMax = 100;

/**
 * Selects the roles of a client. A matrix shows their permissions. People cannot assign permissions that they
 * lack.
 */
export function RolesField(props: RolesFieldProps): ReactElement {
  const roles = useApiQuery('listRoles', { query: { limit: rolesMax } });
  const permissions = useApiQuery('listPermissions');
  return (
    <QueryState query={roles}>
      {({ data }) => (
        <QueryState query={permissions}>
          {(known) => <RoleChoice {...props} roles={data} permissions={known.data} />}
        </QueryState>
      )}
    </QueryState>
  );
}

interface RoleChoiceProps extends RolesFieldProps {
  readonly roles: readonly Role[];
  readonly permissions: readonly PermissionEntry[];
}

function RoleChoice({
  value,
  onChange,
  label,
  id,
  error,
  roles,
  permissions,
}: RoleChoiceProps): ReactElement {
  const [isMatrixShown, setIsMatrixShown] = useState(false);
  const held = new Set(permissions.filter(({ isHeld }) => isHeld).map(({ name }) => name));
  const chosen = roles.filter(({ name }) => value.includes(name));
  const toggle = (name: string, isChosen: boolean): void =>
    onChange(isChosen ? [...value, name] : value.filter((one) => one !== name));
  return (
    <Stack gap="sm">
      <div role="group" aria-label={label} id={id} tabIndex={-1} className={classes.roles}>
        {roles.map((role) => (
          <RoleOption
            key={role.roleId}
            role={role}
            isChosen={value.includes(role.name)}
            mayAssign={role.permissions.every((permission) => held.has(permission))}
            onToggle={(isChosen) => toggle(role.name, isChosen)}
          />
        ))}
        {roles.length === 0 && <Text size="sm">{t.rolesEmpty}</Text>}
      </div>
      {error !== undefined && <FieldHint tone="danger">{error}</FieldHint>}
      {chosen.length > 0 && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            ml={-8}
            aria-expanded={isMatrixShown}
            onClick={() => setIsMatrixShown(!isMatrixShown)}
          >
            {t.showPermissions}
          </Button>
          {isMatrixShown && (
            <div className={classes.matrix}>
              <Suspense fallback={<LoadingLines />}>
                <PermissionMatrix
                  label={t.showPermissions}
                  roles={chosen}
                  permissions={permissions.filter(({ name }) =>
                    chosen.some((role) => role.permissions.includes(name)),
                  )}
                />
              </Suspense>
            </div>
          )}
        </div>
      )}
    </Stack>
  );
}

interface RoleOptionProps {
  readonly role: Role;
  readonly isChosen: boolean;
  readonly mayAssign: boolean;
  readonly onToggle: (isChosen: boolean) => void;
}

function RoleOption({ role, isChosen, mayAssign, onToggle }: RoleOptionProps): ReactElement {
  return (
    <Checkbox.Card
      className={classes.role}
      checked={isChosen}
      onChange={onToggle}
      // A person who may change the client may always remove a role.
      disabled={!mayAssign && !isChosen}
      aria-label={role.name}
      aria-describedby={`${role.roleId}-summary`}
    >
      <Checkbox.Indicator mt={2} />
      <div className={classes.words}>
        <span className={classes.name}>
          {role.name} {role.isBuiltIn && <StatusBadge tone="neutral">{t.builtIn}</StatusBadge>}
        </span>
        <span className={classes.summary} id={`${role.roleId}-summary`}>
          {role.summary} {!mayAssign && t.roleNotHeld}
        </span>
      </div>
    </Checkbox.Card>
  );
}
