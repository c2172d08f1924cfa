import type { ReactElement } from 'react';
import { auditLog as t } from '#messages/audit-log.ts';
import classes from './change-table.module.css';
import type { ChangedMember } from './changed-members.ts';

/** A table of values before and after a change. Shows one column if there is only a before or only an after. */
export function ChangeTable({ members }: { readonly members: readonly ChangedMember[] }): ReactElement {
  const sides = (['before', 'after'] as const).filter((side) =>
    members.some((member) => member[side].length > 0),
  );
  return (
    <div className={classes['scroll']}>
      <table className={classes['members']}>
        <thead>
          <tr>
            <th scope="col">{t.member}</th>
            {sides.map((side) => (
              <th key={side} scope="col">
                {t[side]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.name}>
              <th scope="row">{member.label}</th>
              {sides.map((side) => (
                <td key={side}>
                  <Value lines={member[side]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `bdi` keeps right-to-left text from reordering the rest. */
function Value({ lines }: { readonly lines: readonly string[] }): ReactElement {
  if (lines.length === 0) return <span className={classes['nothing']}>{t.nothing}</span>;
  return (
    <>
      {lines.map((line) => (
        <div key={line}>
          <bdi>{line}</bdi>
        </div>
      ))}
    </>
  );
}
