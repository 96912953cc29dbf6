/** Head of a table of changes; only screen readers get the name of the column of signs. */
export function ChangeHead({ columns }: { columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">
          <span class="visually-hidden">Change</span>
        </th>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}
