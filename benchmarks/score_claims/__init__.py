"""What scores claim of the favourability beyond the reach of the wins, and what is true."""
