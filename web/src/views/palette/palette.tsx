import { Dialog } from "../../ui/dialog.tsx";

export function Palette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Search or do something" onClose={onClose}>
      <p>Not built yet.</p>
    </Dialog>
  );
}
