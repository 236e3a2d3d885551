// Functions that are called: what -rdc=true keeps, recursion, pointers, virtual methods, printf, assert, the heap.
#include <cassert>
#include <cstdio>

struct Mixed {
  int a;
  float b;
  double c;
};

__device__ __noinline__ Mixed twist(Mixed s, int k) {
  s.a += k, s.b *= 2, s.c -= k;
  return s;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int sum(const int* p, int n) {
  int t = 0;
  for (int i = 0; i < n; i++) t += p[i];
  return t;
}

// Each activation has an array of its own, and reads that of its caller.
__device__ int nested(int* up, int n) {
  int here[4] = {n, n + 1, n + 2, n + 3};
  if (n == 0) return sum(up, 4);
  return nested(here, n - 1) + sum(up, 4);
}

extern "C" __global__ void calls(int* fib, int* nest, Mixed* s, int k) {
  int i = threadIdx.x;
  fib[i] = fibonacci(i % 11);
  int mine[4] = {i, i, i, i};
  nest[i] = nested(mine, i % 5);
  s[i] = twist(s[i], k);
}

__device__ void quicksort(int* x, int low, int high) {
  while (low < high) {
    int pivot = x[(low + high) / 2], i = low - 1, j = high + 1;
    while (true) {
      while (x[++i] < pivot) {}
      while (x[--j] > pivot) {}
      if (i >= j) break;
      int t = x[i];
      x[i] = x[j], x[j] = t;
    }
    quicksort(x, low, j);
    low = j + 1;
  }
}

extern "C" __global__ void sort_rows(int* x, int n) { quicksort(x + threadIdx.x * n, 0, n - 1); }

__device__ __noinline__ float plus(float a, float b) { return a + b; }
__device__ __noinline__ float times(float a, float b) { return a * b; }
__device__ __noinline__ float minus(float a, float b) { return a - b; }
typedef float (*Binary)(float, float);
__device__ Binary table[3] = {plus, times, minus};

extern "C" __global__ void by_pointer(const int* which, const float* x, float* out) {
  int i = threadIdx.x;
  out[i] = table[which[i]](x[i], 3);
}

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ float area() const override { return 3 * radius * radius; }
};

extern "C" __global__ void by_virtual(float* out) {
  int i = threadIdx.x;
  Square square;
  Circle circle;
  square.side = i, circle.radius = i;
  Shape* shape = i % 3 ? (Shape*)&square : (Shape*)&circle;
  out[i] = shape->area();
}

// A list on the device's heap: built by one launch, read and freed by the next.
struct Node {
  int value;
  Node* next;
};

extern "C" __global__ void build(Node** heads, int n) {
  Node* head = nullptr;
  for (int i = 0; i < n; i++) {
    Node* one = (Node*)malloc(sizeof(Node));
    one->value = threadIdx.x * 10 + i, one->next = head;
    head = one;
  }
  heads[threadIdx.x] = head;
}

extern "C" __global__ void take_down(Node** heads, int* sums) {
  int total = 0;
  for (Node* one = heads[threadIdx.x]; one;) {
    Node* next = one->next;
    total += one->value;
    free(one);
    one = next;
  }
  sums[threadIdx.x] = total;
}

extern "C" __global__ void speak(const float* x, int n) {
  int i = threadIdx.x;
  if (i < n) printf("%02d|%-6s|%8.3f|%#x|%lld%%\n", i, i & 1 ? "odd" : "even", x[i], i * 17, -(long long)i << 40);
}

extern "C" __global__ void check(const int* x) { assert(x[threadIdx.x] >= 0); }
