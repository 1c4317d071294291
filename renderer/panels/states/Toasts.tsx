export function Toasts() {
  return <div className="side" />;
}
