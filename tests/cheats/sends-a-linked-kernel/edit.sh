ln -sf "$ROOT"/solutions/lab5-symmetric-memory/hashmap.cu hashmap.cu
